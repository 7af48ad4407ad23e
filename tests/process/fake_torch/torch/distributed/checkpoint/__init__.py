from .state_dict_saver import save
